import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import type { RequestBody } from '../../model-form/build-request.ts';
import { sampleLanguages, sampleOf } from '../../generations/code-samples.ts';
import { CodeBlock, type CodeSample } from '../../ui/CodeBlock.tsx';
import { Section } from '../../ui/Section.tsx';

/** The request as it was accepted, and as programs would send it. */
export function RequestSection({ request: { method, path, body: text } }: Pick<GenerationDetail, 'request'>) {
  const { base_url: baseUrl } = useSignedIn();
  const body = parsed(text);
  const samples: CodeSample[] = [
    { name: 'JSON', text: body === undefined ? text : JSON.stringify(body, null, 2) },
    ...(body === undefined
      ? []
      : sampleLanguages.map((name) => ({ name, text: sampleOf(name, { baseUrl, path, body }) }))),
  ];
  return (
    <Section title={`${method} ${path}`} card={false}>
      <CodeBlock label="Request" samples={samples} />
    </Section>
  );
}

function parsed(text: string): RequestBody | undefined {
  try {
    return JSON.parse(text) as RequestBody;
  } catch {
    return undefined;
  }
}
