import { Anchor, Text } from '@mantine/core';
import { RequestSamples } from '../../generations/RequestSamples.tsx';
import { maskFile, placeholderKey, readsMask } from '../../generations/code-samples.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';

/** The request of the form as program code. */
export function RequestCode({ path, body }: { path: string; body: RequestBody }) {
  return (
    <div>
      <RequestSamples label="Request as code" {...{ path, body }} />
      <Text fz="xs" c="dimmed" mt={6}>
        Put an API key in the place of <code>{placeholderKey}</code>.
        {readsMask(body) && (
          <>
            {' '}
            The mask is read from a file:{' '}
            <Anchor href={String(body['mask'])} download={maskFile} inherit underline="always">
              download {maskFile}
            </Anchor>
            .
          </>
        )}
      </Text>
    </div>
  );
}
