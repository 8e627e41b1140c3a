import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { itemOfOutput } from '../../media/media-item.ts';
import { Picture } from '../../media/MediaView.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import classes from './overview.module.css';

/** The newest pictures and videos; each leads to its generation. */
export function Latest({ rows }: { rows: readonly GenerationRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Section title="Latest" card={false} actions={<TextLink to="/library">See the library</TextLink>}>
      <ul className={classes['latest']}>
        {rows.map(({ generation, prompt }) => {
          const [output] = generation.outputs;
          return (
            output !== undefined && (
              <li key={generation.id}>
                <Link to="/generations/$id" params={{ id: generation.id }} className={classes['picture']}>
                  <span className={classes['box']}>
                    <Picture item={itemOfOutput(output)} small fill inert alt="" />
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
