import {
  demoEmail,
  sandboxLines,
  sandboxOutcome,
  sandboxRecipes,
  sandboxSetup,
} from '@renderkit/contract/v1/sandbox.ts';

/** Returns the text of docs/sandbox.md: the recipes as a document. */
export function sandboxText(): string {
  const sections = sandboxRecipes.map(
    (recipe) =>
      `## ${recipe.title}\n\n${wrap(recipe.note)}\n\n\`\`\`sh\n${sandboxLines(recipe).join('\n')}\n\`\`\`\n\n${wrap(sandboxOutcome(recipe))}\n`,
  );
  return `# Sandbox: every answer on demand

<!-- Written by tools/generate-sandbox.ts from contract/v1/sandbox.ts. -->

${wrap(
  'How to get each answer of the API on purpose, on an installation as it comes. A running service shows the same at `/docs/sandbox`, and a test gets every one of them. `internal_error` is missing: nothing provokes it.',
)}

${wrap(
  `Everything can be pasted into a shell in the folder of the installation, after these lines. \`$KEY\` is an API key, \`$EMAIL\` the address of its account: \`${demoEmail}\` where nothing was changed, whose key the first start shows. Commands after the last request make everything as it was. Models whose names begin with \`sandbox-\` are made for this and cost a credit.`,
)}

\`\`\`sh
${sandboxSetup.join('\n')}
\`\`\`

${sections.join('\n')}`;
}

const lineWidth = 120;

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > lineWidth) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
