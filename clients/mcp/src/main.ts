#!/usr/bin/env node
import { serveMcpOverStdio } from './stdio.ts';

try {
  serveMcpOverStdio();
} catch (error) {
  // Its own stdout belongs to the protocol.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
