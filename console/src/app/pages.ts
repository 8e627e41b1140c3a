/**
 * The pages in the navigation and the command palette, in groups. `key` is the key after `g` on the keyboard.
 * `routes.ts` has all addresses.
 */
export const pageGroups = [
  {
    name: 'Create',
    links: [
      { to: '/', name: 'Overview', key: 'o', icon: 'overview' },
      { to: '/playground', name: 'Playground', key: 'c', icon: 'playground' },
      { to: '/generations', name: 'Generations', key: 'g', icon: 'generations' },
      { to: '/library', name: 'Library', key: 'l', icon: 'library' },
      { to: '/projects', name: 'Projects', key: 'p', icon: 'projects' },
      { to: '/storage', name: 'Storage', icon: 'storage' },
    ],
  },
  {
    name: 'Developers',
    links: [
      { to: '/keys', name: 'API keys', key: 'k', icon: 'keys' },
      { to: '/connect', name: 'Connect a program', icon: 'connect' },
      { to: '/webhooks', name: 'Webhooks', key: 'w', icon: 'webhooks' },
      { to: '/deliveries', name: 'Deliveries', icon: 'deliveries' },
      { to: '/docs', name: 'Docs', key: 'd', icon: 'docs' },
    ],
  },
  {
    name: 'Account',
    links: [
      { to: '/connection', name: 'Connection', icon: 'connection' },
      { to: '/sessions', name: 'Sessions', icon: 'sessions' },
      { to: '/audit', name: 'Audit log', icon: 'audit' },
    ],
  },
] as const;

/** Pages for administrators. `console/src/session/administration.ts` decides who sees them. */
export const administrationGroup = {
  name: 'Administration',
  links: [
    { to: '/administration/backends', name: 'Backends', icon: 'backends' },
    { to: '/administration/models', name: 'Models', icon: 'models' },
    { to: '/administration/plans', name: 'Plans', icon: 'plans' },
    { to: '/administration/styles', name: 'Styles', icon: 'styles' },
  ],
} as const;

export type PageLink =
  | (typeof pageGroups)[number]['links'][number]
  | (typeof administrationGroup)['links'][number];

/** Returns the key that opens a page after `g`. `undefined` when the page has no key. */
export function keyOf(link: PageLink): string | undefined {
  return 'key' in link ? link.key : undefined;
}
