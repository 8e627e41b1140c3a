import { Text } from '@mantine/core';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { Link } from '@tanstack/react-router';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import classes from './overview.module.css';

/** The newest images and videos. Each links to its generation. */
export function LatestGenerations({ rows }: { rows: readonly GenerationRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Section title="Latest" card={false} actions={<TextLink to="/library">See the library</TextLink>}>
      <ul className={classes['latest']}>
        {rows.map(({ generation, prompt }) => {
          const [output] = generation.outputs;
          return (
            output !== undefined && (
              <li key={generation.id}>
                <Link to="/generations/$id" params={{ id: generation.id }} className={classes['item']}>
                  <span className={classes['box']}>
                    <MediaView item={itemOfOutput(output)} small fill inert alt="" />
                  </span>
                  <Text fz="xs" truncate component="span" display="block" mt={5}>
                    {prompt ?? generation.model}
                  </Text>
                </Link>
              </li>
            )
          );
        })}
      </ul>
    </Section>
  );
}
