import type { Cluster } from './cluster.ts';

/** One row of the table. */
export type Result = {
  name: string;
  ratio: string;
  /** Processor time of the service ÷ the baseline's, both per request: unlike a ratio of rates it hardly moves with the machine. */
  cpuRatio: string;
  ours: string;
  baseline: string;
  spread: string;
  /** What was aimed for, and whether it was reached. */
  goal: string;
  met: boolean;
};

/** What a benchmark is given. */
export type Bench = {
  cluster: Cluster;
  rounds: number;
  /** Of each measured window. */
  seconds: number;
  /** A short look instead of figures to keep. */
  quick: boolean;
  /** Where the parts leave their CPU profiles, each in a folder of its name; undefined: none. */
  profileDirectory: string | undefined;
  /** Tells the person at the terminal how it goes. */
  say: (text: string) => void;
};

export type Benchmark = (bench: Bench) => Promise<Result[]>;
