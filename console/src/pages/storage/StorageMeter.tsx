import { Progress, Text } from '@mantine/core';
import type { StorageDetail } from '@renderkit/contract/console/schemas/storage.ts';
import { formatBytes } from '../../format/numbers.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import classes from './storage.module.css';

/**
 * Percentage from which a warning is shown. The overview warns from `nearlyUsed` in
 * `service/src/console-api/warnings.ts`.
 */
const nearlyFullPercent = 90;

/**
 * Shows how much of the storage is used, and by what. `studio/src/storage/reserve.ts` refuses files that do not fit.
 */
export function StorageMeter({ detail: { storage, temporary_bytes: temporary } }: { detail: StorageDetail }) {
  if (storage === null)
    return (
      <Section title="Used">
        <Text fz="sm" c="dimmed">
          The studio cannot be asked just now.
        </Text>
      </Section>
    );
  const { used_bytes: used, limit_bytes: limit, uploads_bytes: uploads, outputs_bytes: outputs } = storage;
  const share = (bytes: number) => (limit === 0 ? 0 : Math.min(100, (bytes / Math.max(limit, used)) * 100));
  const full = used >= limit;
  return (
    <Section title="Used">
      <div className={classes['used']}>{formatBytes(used)}</div>
      <Text fz="xs" c="dimmed">
        of {formatBytes(limit)}
        {limit > 0 && ` · ${formatShare(used / limit)}`}
      </Text>
      <Progress.Root size={10} mt={12} aria-hidden="true">
        <Progress.Section value={share(outputs)} color="var(--rk-c1)" />
        <Progress.Section value={share(uploads)} color="var(--rk-c2)" />
      </Progress.Root>
      <dl className={classes['parts']}>
        <Part name="Generated" bytes={outputs} colour="var(--rk-c1)">
          Images, videos and frames
        </Part>
        <Part name="Uploads" bytes={uploads} colour="var(--rk-c2)">
          {temporary === 0
            ? 'Files that were sent or imported'
            : `${formatBytes(temporary)} of it masks and imports of single generations, which go by themselves`}
        </Part>
        <Part name="Free" bytes={Math.max(0, limit - used)}>
          {full ? 'Nothing' : 'Left for what comes'}
        </Part>
      </dl>
      {(full || used * 100 > limit * nearlyFullPercent) && (
        <Notice tone={full ? 'bad' : 'warning'} mt="md">
          {full
            ? 'The storage is full: nothing can be uploaded or generated. What was accepted before is still kept. '
            : 'The storage is nearly full. Once it is, nothing can be uploaded or generated. '}
          Delete uploads below, or pictures and videos in the{' '}
          <TextLink to="/library" underline="always">
            library
          </TextLink>
          .
        </Notice>
      )}
    </Section>
  );
}

function formatShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? 'less than 1 %' : `${Math.round(percent).toLocaleString('en')} %`;
}

type PartProps = { name: string; bytes: number; colour?: string; children: string };

function Part({ name, bytes, colour, children }: PartProps) {
  return (
    <div>
      <dt>
        {colour !== undefined && (
          <span className={classes['swatch']} style={{ background: colour }} aria-hidden="true" />
        )}
        {name}
      </dt>
      <dd>
        {formatBytes(bytes)}
        <span className={classes['what']}>{children}</span>
      </dd>
    </div>
  );
}
