import { Anchor, Text } from '@mantine/core';
import { useSignedIn } from '../../session/use-signed-in.ts';
import type { RequestBody } from '../../model-form/build-request.ts';
import {
  maskFile,
  placeholderKey,
  readsMask,
  sampleLanguages,
  sampleOf,
} from '../../generations/code-samples.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';

/** The same request as programs would send it. */
export function RequestCode({ path, body }: { path: string; body: RequestBody }) {
  const { base_url: baseUrl } = useSignedIn();
  const samples = sampleLanguages.map((name) => ({ name, text: sampleOf(name, { baseUrl, path, body }) }));
  return (
    <div>
      <CodeBlock label="Request as code" samples={samples} />
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
