import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Props = Omit<AnchorProps, 'href'> & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>;

function StyledAnchor(props: Props) {
  return <Anchor fz="sm" {...props} />;
}

/** A link to a page of the console. The type of the route checks its parameters. */
export const TextLink = createLink(StyledAnchor);
