import { Menu, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callConsole } from '../api/client.ts';
import { changePasswordAddress } from '../session/sign-in-addresses.ts';
import { useSignedIn } from '../session/use-signed-in.ts';
import { Icon } from '../ui/Icon.tsx';
import { AccountButton } from './AccountButton.tsx';
import { leaveFreely } from '../ui/leaving.ts';

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'As the system' },
] as const;

export type AccountMenuListProps = {
  /** Whether the menu is open at first, and whether its button has the focus. */
  initially: 'open' | 'focused' | 'closed';
};

/** The account menu. Loaded when a person is about to open it. */
export function AccountMenuList({ initially }: AccountMenuListProps) {
  const { account, studio_url: studioUrl } = useSignedIn();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const choose = (value: string) =>
    setColorScheme(schemes.find((one) => one.value === value)?.value ?? 'auto');
  const who = account.email ?? 'Signed in';
  return (
    <Menu position="top-start" width={230} shadow="md" defaultOpened={initially === 'open'}>
      <Menu.Target>
        <AccountButton who={who} autoFocus={initially !== 'closed'} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{who}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={choose}>
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          component="a"
          href={changePasswordAddress(studioUrl, account.email)}
          leftSection={<Icon name="keys" />}
        >
          Change password
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useSignOut() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => callConsole('signOut', {}),
    onSuccess: async ({ studio_sign_out_url: studio }) => {
      leaveFreely();
      // The studio has its own session in this browser. It asks for confirmation, then sends the browser back here.
      if (studio !== null) globalThis.location.assign(studio);
      else {
        await navigate({ to: '/signed-out' });
        queryClient.clear();
      }
    },
  });
}
