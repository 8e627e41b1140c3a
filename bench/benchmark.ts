import type { Cluster } from './cluster.ts';

/** One row of the table. */
export type Result = {
  name: string;
  ratio: string;
  /**
   * Processor time of the service ÷ the baseline's, both per request. Unlike a ratio of rates it hardly varies with the
   * machine.
   */
  cpuRatio: string;
  ours: string;
  baseline: string;
  spread: string;
  /** The goal, and whether it was reached. */
  goal: string;
  met: boolean;
};

/** The input of a benchmark. */
export type Bench = {
  cluster: Cluster;
  rounds: number;
  /** The length of each measured window. */
  seconds: number;
  /** A quick run, whose figures are not kept. */
  quick: boolean;
  /** Where the parts store their CPU profiles, each in a folder of its name; undefined: no profiles. */
  profileDirectory: string | undefined;
  /** Reports progress at the terminal. */
  say: (text: string) => void;
};

export type Benchmark = (bench: Bench) => Promise<Result[]>;
