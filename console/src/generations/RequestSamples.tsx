import { useSignedIn } from '../session/use-signed-in.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { sampleLanguages, sampleOf } from './code-samples.ts';
import type { RequestBody } from './kind-labels.ts';

type RequestSamplesProps = {
  label: string;
  /** Path of the create. */
  path: string;
  /** `undefined` when the body is not JSON. There is no code then. */
  body: RequestBody | undefined;
  /** Text of the body, shown before the code. */
  json?: string;
};

/** Shows a create as program code, in several languages. */
export function RequestSamples({ label, path, body, json }: RequestSamplesProps) {
  const { base_url: baseUrl } = useSignedIn();
  const samples = [
    ...(json === undefined ? [] : [{ name: 'JSON', text: json }]),
    ...(body === undefined
      ? []
      : sampleLanguages.map((name) => ({ name, text: sampleOf(name, { baseUrl, path, body }) }))),
  ];
  return <CodeBlock label={label} samples={samples} />;
}
