import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, command, type Entry } from '../command.ts';
import { CliError } from '../cli-error.ts';
import type { Folders } from '../config.ts';

type Commands = Record<string, Entry>;

/** Returns the command that writes instructions for agents about these commands. */
export function skillOf(commands: Commands): Command {
  return command({
    usage: '',
    about: 'Writes SKILL.md, by which an agent knows how to use this program.',
    options: {},
    run: () => {
      process.stdout.write(skillText(commands));
      return Promise.resolve();
    },
  });
}

/** Returns the command that installs SKILL.md in the folders where agents of this machine look. */
export function skillInstallOf(commands: Commands): Command {
  return command({
    usage: '[--dir DIR]',
    about: 'Puts SKILL.md where the agents of this machine look for it.',
    options: { dir: { form: 'DIR', about: 'a folder of skills; those of the agents found when left out' } },
    run: ({ output, environment }, _words, values) => {
      const folders = values.dir === undefined ? foldersFound(environment.folders) : [values.dir];
      if (folders.length === 0)
        throw new CliError('No agent was found here.', {
          advice: 'Name its folder of skills: renderkit skill install --dir .claude/skills',
        });
      const files = folders.map((folder) => path.join(folder, 'renderkit', 'SKILL.md'));
      for (const file of files) {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, skillText(commands));
      }
      output.result({ files }, files, () => files);
      return Promise.resolve();
    },
  });
}

/** Returns the skill folders of the agents that have settings on this machine. */
function foldersFound({ home, config, claude, codex }: Folders): string[] {
  const homes = [claude, codex, path.join(home, '.cursor'), path.join(config, 'opencode')];
  return homes.filter((folder) => existsSync(folder)).map((folder) => path.join(folder, 'skills'));
}

/** Writes the text from the command table, so that it lists only existing commands. */
function skillText(commands: Commands): string {
  const list = Object.entries(commands).map(([name, { about }]) => `- \`renderkit ${name}\`: ${about}`);
  return `---
name: renderkit
description: Makes and changes images and videos on the person's own Renderkit service, from the shell. Use it when a picture or a video is to be made, edited, extended or found; not for charts, diagrams or screenshots.
---

# Renderkit on the command line

Results are on stdout, as JSON where no terminal reads them; all else is on stderr. \`-q\` prints ids alone, \`--json=id,status\` some
fields, \`--jq .outputs[0].url\` a part. \`renderkit COMMAND --help\` tells the options of each.

- Ask the price first: \`renderkit image "…" --estimate\`. It costs nothing.
- Always bound what you spend: \`--max-credits N\`. Exit code 5 says that it would cost more, or that a person has to agree: ask
  them, and never add \`--yes\` by yourself.
- Write outputs to a file: \`renderkit image "a lighthouse at dusk" -r 16:9 --max-credits 10 -o lighthouse.png\`.
- Files of this machine go in by their @: \`renderkit edit @lighthouse.png "in winter" --max-credits 20 -o winter.png\`.
- Ids go through pipes: \`renderkit image "a boat" -q | renderkit video --start - "it sails away" -o boat.mp4\`.
- What takes long: \`--no-wait -q\` gives the id, \`renderkit gen wait ID -o FILE\` waits for it.
- Exit codes: 0 done, 2 wrong use, 3 failed, 4 no key or not allowed, 5 credits, 6 moderation (change the prompt, do not repeat it),
  7 still running (its id is on stdout), 8 busy, 9 unreachable.

## Commands

${list.join('\n')}
`;
}
