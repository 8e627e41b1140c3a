import { consoleOperations } from '@renderkit/contract/console/operations.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';

/**
 * Text of console/src/api/paths.ts: where the console asks for each operation. The tables of the contract hold the
 * schemas too, and with them a library that a browser has no use for; so the console gets the addresses alone.
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
