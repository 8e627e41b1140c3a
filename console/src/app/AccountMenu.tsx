import { type ComponentType, useRef, useState } from 'react';
import { useSignedIn } from '../session/use-signed-in.ts';
import { AccountButton } from './AccountButton.tsx';
import type { AccountMenuListProps } from './AccountMenuList.tsx';

type Loaded = { List: ComponentType<AccountMenuListProps>; isFocused: boolean };

/**
 * Who is signed in, how the console looks, and the way out. What the menu needs is fetched when somebody comes near its
 * button, which stays as it is meanwhile.
 */
export function AccountMenu() {
  const who = useSignedIn().account.email ?? 'Signed in';
  const button = useRef<HTMLButtonElement>(null);
  // A state, so that a press counts that comes while the menu is about to take the button's place.
  const [isPressed, setPressed] = useState(false);
  const [loaded, setLoaded] = useState<Loaded>();
  const load = async (isAsked: boolean) => {
    const list = await import('./AccountMenuList.tsx').catch(() => undefined);
    if (list !== undefined)
      setLoaded({ List: list.AccountMenuList, isFocused: document.activeElement === button.current });
    // As a rule another release has taken the place of this one's files: the way out is in the new page.
    else if (isAsked && navigator.onLine) location.reload();
  };
  if (loaded !== undefined)
    return <loaded.List initially={isPressed ? 'open' : loaded.isFocused ? 'focused' : 'closed'} />;
  return (
    <AccountButton
      ref={button}
      who={who}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load(false)}
      onFocus={() => void load(false)}
      // A button that is replaced between press and release is not clicked: the press counts.
      onPointerDown={({ button: which }) => setPressed(which === 0)}
      onPointerCancel={() => setPressed(false)}
      onClick={() => {
        setPressed(true);
        void load(true);
      }}
    />
  );
}
