import { writeFile } from 'node:fs/promises';
import { sdkObjectsText } from './sdk-objects.ts';

/** Writes clients/sdk/src/objects.generated.ts from contract/openapi.json. A test fails if the file is stale. */
await writeFile(new URL('../clients/sdk/src/objects.generated.ts', import.meta.url), sdkObjectsText());
