import { Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';

type OlderVersionProps = {
  /** `version` is in force; `versions`, the newest first, are left out where the studio does not tell. */
  published:
    | { version: number; versions?: readonly { version: number; created_at: string }[] | undefined }
    | undefined;
  /** Something was changed, which an older version would take the place of. */
  edited: boolean;
  /** Puts it into the editor: it is in force once it is published. */
  load: (version: number) => Promise<unknown>;
};

/** Goes back: what was published once is looked at, and published again, as any change is. */
export function OlderVersion({ published, edited, load }: OlderVersionProps) {
  const loading = useMutation({ mutationFn: load, meta: { inline: true } });
  const older = (published?.versions ?? []).filter(({ version }) => version !== published?.version);
  if (older.length === 0) return null;
  return (
    <>
      <Select
        aria-label="Start from an older version"
        placeholder="Start from an older version"
        value={null}
        disabled={loading.isPending || edited}
        title={edited ? 'Publish or discard your changes first' : undefined}
        data={older.map(({ version, created_at: at }) => ({
          value: String(version),
          label: `Version ${version}, ${at.slice(0, 10)}`,
        }))}
        onChange={(version) => version !== null && loading.mutate(Number(version))}
      />
      {loading.error !== null && (
        <ProblemAlert error={loading.error} title="The older version could not be read" />
      )}
    </>
  );
}
