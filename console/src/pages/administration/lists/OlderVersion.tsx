import { Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';

type OlderVersionProps = {
  /** `version` is in effect. `versions`, newest first, is missing when the studio does not report them. */
  published:
    | { version: number; versions?: readonly { version: number; created_at: string }[] | undefined }
    | undefined;
  /** The list has changes, which an older version would replace. */
  edited: boolean;
  /** Loads a version into the editor. It takes effect once it is published. */
  load: (version: number) => Promise<unknown>;
};

/** Goes back to an older version: the version is loaded, reviewed and published like any change. */
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
