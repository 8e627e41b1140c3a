import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import { type FullCheck, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { createCommandDriver } from './driver.ts';

const slowMs = 3_000;

/** A program of a few words without braces, because braces would be placeholders. Its first argument is `{out}`. */
function jobOf(script: string, ...words: string[]): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'command',
      on: [],
      run: [process.execPath, '-e', script, '{out}', ...words],
      set: {},
      outputs: { files: 'result.png', kind: 'image', max_per_job: 1 },
      progress: String.raw`(\d+)/(\d+)`,
      on_unknown: 'retry',
    },
  };
}

const into = 'process.argv[1] + "/result.png"';
const draw = `require("fs").writeFileSync(${into}, Buffer.from("${greyImage.toString('base64')}", "base64"));`;

/** Runs small Node programs on this machine, in the way a worker runs the operator's. */
export const checkCommandBackend: FullCheck = checkByJobs({
  createDriver: createCommandDriver,
  job: jobOf(draw),
  edit: {
    ...jobOf(`require("fs").copyFileSync(process.argv[2], ${into});`, '{image}'),
    picture: 'image',
  },
  slow: jobOf(`${draw} console.error("1/2"); setTimeout(Boolean, ${slowMs});`),
  invalid: { route: { ...jobOf('').route, run: ['/no/such/program'] } },
  missing: {
    reach: 'programs run on the machines of the workers; the steps run on this one.',
    version: 'each program has its own.',
    'fetch with a range': 'results are files of this machine.',
    'queue delete': 'each program begins at once.',
    'cached run': 'each picture is made anew.',
  },
});
