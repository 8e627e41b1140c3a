import { type ComponentType, useRef, useState } from 'react';
import { useSignedIn } from '../session/use-signed-in.ts';
import { AccountButton } from './AccountButton.tsx';
import type { AccountMenuListProps } from './AccountMenuList.tsx';

type Loaded = { List: ComponentType<AccountMenuListProps>; isFocused: boolean };

/**
 * The account menu: who is signed in, the color scheme, and the sign-out. Its code is loaded when a pointer or the
 * focus comes near the button. Until then only the button is there.
 */
export function AccountMenu() {
  const who = useSignedIn().account.email ?? 'Signed in';
  const button = useRef<HTMLButtonElement>(null);
  // State, so that a press counts while the menu is about to replace the button.
  const [isPressed, setPressed] = useState(false);
  const [loaded, setLoaded] = useState<Loaded>();
  const load = async (isAsked: boolean) => {
    const list = await import('./AccountMenuList.tsx').catch(() => undefined);
    if (list !== undefined)
      setLoaded({ List: list.AccountMenuList, isFocused: document.activeElement === button.current });
    // Usually a new release has replaced these files. A reload loads the new page.
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
      // A button that is replaced between press and release receives no click, so the press counts.
      onPointerDown={({ button: which }) => setPressed(which === 0)}
      onPointerCancel={() => setPressed(false)}
      onClick={() => {
        setPressed(true);
        void load(true);
      }}
    />
  );
}
