import { Button, Menu, type MenuItemProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useSignedIn } from '../session/use-signed-in.ts';
import { Icon } from '../ui/Icon.tsx';
import { copyLink } from './copy-link.ts';
import classes from './item-actions.module.css';
import type { ItemUse } from './item-use.ts';
import { downloadAddress, type MediaItem } from './media-item.ts';

/** The fields of a new request that accept an item, by type of item. */
const uses: Record<MediaItem['type'], { as: ItemUse; label: string }[]> = {
  image: [
    { as: 'image', label: 'Edit it' },
    { as: 'reference_images', label: 'Go by it for a new image' },
    { as: 'start_image', label: 'Begin a video with it' },
  ],
  video: [
    { as: 'video', label: 'Extend it' },
    { as: 'source_video', label: 'Draw it anew' },
  ],
};

/** Actions for an item: use it in the playground, save it, open it, or copy its link. `children` adds actions. */
export function ItemActions({ item, children }: { item: MediaItem; children?: ReactNode }) {
  const { studio_url: studioUrl } = useSignedIn();
  const { url } = item;
  return (
    <div className={classes['actions']}>
      <UseMenu item={item} />
      {url !== null && (
        <>
          <Button
            component="a"
            href={downloadAddress(url, studioUrl)}
            download
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<Icon name="download" size={14} />}
          >
            Download
          </Button>
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<Icon name="external" size={14} />}
          >
            Open in a new tab
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="link" size={14} />}
            onClick={() => void copyLink(url)}
          >
            Copy link
          </Button>
        </>
      )}
      {children}
    </div>
  );
}

type MenuAnchorProps = MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>;

function MenuAnchor(props: MenuAnchorProps) {
  return <Menu.Item component="a" {...props} />;
}

/** A menu item that links to a page of the console. */
const MenuLink = createLink(MenuAnchor);

/** A menu that opens the playground with the item in one of its fields. */
export function UseMenu({ item }: { item: MediaItem }) {
  return (
    <Menu position="bottom-start" width="target">
      <Menu.Target>
        <Button
          leftSection={<Icon name="playground" size={14} />}
          rightSection={<Icon name="down" size={13} />}
        >
          Use in the playground
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {uses[item.type].map(({ as, label }) => (
          <MenuLink key={as} to="/playground" search={{ use: item.id, as }}>
            {label}
          </MenuLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
