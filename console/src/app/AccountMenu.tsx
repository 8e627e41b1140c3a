import { type ComponentType, useRef, useState } from 'react';
import { useSignedIn } from '../session/use-signed-in.ts';
import { AccountButton } from './AccountButton.tsx';
import type { AccountMenuListProps } from './AccountMenuList.tsx';

type Loaded = AccountMenuListProps & { List: ComponentType<AccountMenuListProps> };

/**
 * Who is signed in, how the console looks, and the way out. What the menu needs is fetched when somebody comes near its
 * button, which stays as it is meanwhile.
 */
export function AccountMenu() {
  const who = useSignedIn().account.email ?? 'Signed in';
  const button = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  const [loaded, setLoaded] = useState<Loaded>();
  const load = async () => {
    const list = await import('./AccountMenuList.tsx').catch(() => undefined);
    if (list === undefined) {
      // As a rule another release has taken the place of this one's files: the way out is in the new page.
      if (pressed.current && navigator.onLine) location.reload();
      return;
    }
    const { AccountMenuList: List } = list;
    const focused = document.activeElement === button.current;
    setLoaded({ List, initially: pressed.current ? 'open' : focused ? 'focused' : 'closed' });
  };
  if (loaded !== undefined) return <loaded.List initially={loaded.initially} />;
  return (
    <AccountButton
      ref={button}
      who={who}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      // A button that is replaced between press and release is not clicked: the press counts.
      onPointerDown={({ button: which }) => (pressed.current = which === 0)}
      onPointerCancel={() => (pressed.current = false)}
      onClick={() => {
        pressed.current = true;
        void load();
      }}
    />
  );
}
