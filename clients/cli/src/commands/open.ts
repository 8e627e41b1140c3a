import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { consoleAddress } from '../config.ts';
import { openInDesktop } from '../open-in-desktop.ts';

/** Paths of console pages, by the words that users type. `console/src/app/routes.ts` has all pages. */
const pages: Record<string, string> = {
  console: '/',
  playground: '/playground',
  generations: '/generations',
  library: '/library',
  projects: '/projects',
  keys: '/keys',
  billing: '/connection',
  webhooks: '/webhooks',
  connect: '/connect',
};

export const open = command({
  usage: `${Object.keys(pages).join('|')}|gen_…`,
  about: 'Opens a page of the console: the first when none is named, that of a generation by its id.',
  options: {},
  run: (session, [name = 'console', second]) => {
    // Also accepts `open gen ID`.
    const id = name === 'gen' ? second : name.startsWith('gen_') ? name : undefined;
    const page =
      id === undefined ? (Object.hasOwn(pages, name) ? pages[name] : undefined) : `/generations/${id}`;
    if (page === undefined)
      throw new UsageError(
        `There is no page ${JSON.stringify(name)}.`,
        `There are ${Object.keys(pages).join(', ')}, and gen_….`,
      );
    const address = consoleAddress(session.environment, session.values, page);
    openInDesktop(session, address);
    session.output.result({ url: address }, [address], () => [address]);
    return Promise.resolve();
  },
});
