import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { consoleQuery } from '../../api/queries.ts';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import classes from './playground.module.css';

const maxRuns = 8;

/** The newest generations of this kind, to show their results again. */
export function RecentRuns({ kind, shown }: { kind: GenerationKind; shown: string | undefined }) {
  const query = { kind, status: 'succeeded', limit: maxRuns } as const;
  const recent = useQuery(consoleQuery('listGenerationRows', { query }));
  const rows = recent.data?.data.filter(({ generation }) => generation.kind === kind) ?? [];
  if (rows.length === 0) return null;
  return (
    <nav aria-label="Recent runs">
      <ul className={classes['recent']}>
        {rows.map(({ generation: { id, outputs }, prompt }) => {
          const [first] = outputs;
          return (
            first !== undefined && (
              <li key={id}>
                <Link
                  to="/playground"
                  search={(before) => ({ ...before, generation: id })}
                  replace
                  resetScroll={false}
                  className={classes['recentRun']}
                  aria-current={id === shown}
                  aria-label={`Recent: ${prompt ?? 'made without words'}`}
                  title={prompt ?? undefined}
                >
                  <MediaView item={itemOfOutput(first)} small fill inert alt="" />
                </Link>
              </li>
            )
          );
        })}
      </ul>
    </nav>
  );
}
