import { consoleOperations } from '@renderkit/contract/console/operations.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';

/**
 * Returns the text of console/src/api/paths.ts: the address of each operation for the console. The tables of the
 * contract also hold the schemas, which need a library that a browser does not need. So the console only gets the
 * addresses.
 */
export function consolePathsText(): string {
  return `// Written by tools/generate-console-paths.ts from the tables of the contract.

/** Operations of the console's own interface, below its prefix. */
export const consolePaths = {
${rows(consoleOperations, '/console/api')}
} as const;

/** Operations of the HTTP API, below the same prefix. */
export const v1Paths = {
${rows(operations, '')}
} as const;
`;
}

function rows(table: Record<string, { method: string; path: string }>, prefix: string): string {
  return Object.entries(table)
    .map(([id, { method, path }]) => `  ${id}: ['${method}', '${path.slice(prefix.length)}'],`)
    .join('\n');
}
