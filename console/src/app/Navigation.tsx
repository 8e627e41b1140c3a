import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useAdministrator } from '../session/administration.ts';
import { Icon } from '../ui/Icon.tsx';
import classes from './navigation.module.css';

const groups = [
  {
    name: 'Create',
    links: [
      { to: '/', name: 'Overview', icon: 'overview' },
      { to: '/playground', name: 'Playground', icon: 'playground' },
      { to: '/generations', name: 'Generations', icon: 'generations' },
      { to: '/library', name: 'Library', icon: 'library' },
      { to: '/projects', name: 'Projects', icon: 'projects' },
      { to: '/storage', name: 'Storage', icon: 'storage' },
    ],
  },
  {
    name: 'Developers',
    links: [
      { to: '/keys', name: 'API keys', icon: 'keys' },
      { to: '/connect', name: 'Connect a program', icon: 'connect' },
      { to: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
      { to: '/deliveries', name: 'Deliveries', icon: 'deliveries' },
      { to: '/docs', name: 'Docs', icon: 'docs' },
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

const administration = {
  name: 'Administration',
  links: [
    { to: '/administration/backends', name: 'Backends', icon: 'backends' },
    { to: '/administration/models', name: 'Models', icon: 'models' },
    { to: '/administration/plans', name: 'Plans', icon: 'plans' },
    { to: '/administration/styles', name: 'Styles', icon: 'styles' },
  ],
} as const;

/** Links to every page that is for the person. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  // The page has it twice while the drawer is open.
  const id = useId();
  const isAdministrator = useAdministrator();
  return (
    <nav aria-label="Console" className={classes['nav']}>
      {(isAdministrator ? [...groups, administration] : groups).map((group) => (
        <div key={group.name}>
          <div className={classes['group']} id={`${id}-${group.name}`}>
            {group.name}
          </div>
          <ul aria-labelledby={`${id}-${group.name}`}>
            {group.links.map((link) => (
              <li key={link.to}>
                <Link
                  to={link.to}
                  className={classes['link']}
                  activeOptions={{ exact: link.to === '/', includeSearch: false }}
                  onClick={onNavigate}
                >
                  <Icon name={link.icon} />
                  {link.name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
