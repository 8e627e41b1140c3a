import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useAdministrator } from '../session/administration.ts';
import { Icon } from '../ui/Icon.tsx';
import { administrationGroup, pageGroups } from './pages.ts';
import classes from './navigation.module.css';

/** Links to every page that this person may see. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  // The navigation is on the page twice while the drawer is open, so it needs a unique id.
  const id = useId();
  const isAdministrator = useAdministrator();
  return (
    <nav aria-label="Console" className={classes['nav']}>
      {(isAdministrator ? [...pageGroups, administrationGroup] : pageGroups).map((group) => (
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
