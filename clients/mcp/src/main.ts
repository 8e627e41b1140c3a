#!/usr/bin/env node
import { serveMcpOverStdio } from './stdio.ts';

try {
  serveMcpOverStdio();
} catch (error) {
  // The protocol uses stdout, so errors go to stderr.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
