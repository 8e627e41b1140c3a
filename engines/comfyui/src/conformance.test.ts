import { testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import { createComfyuiDriver } from './driver.ts';
import { startComfyCounterpart } from './testing/comfy-counterpart.ts';
import { plainGraph, routeOver } from './testing/drive.ts';

const { route, files } = routeOver(plainGraph, {
  set: { 'n1.batch_size': { from: 'outputs' }, 'n1.width': { from: 'width' } },
  outputs: { kind: 'image', max_per_job: 2, from: ['n9'] },
});

testDriver({
  engine: 'comfyui',
  createDriver: createComfyuiDriver,
  route,
  files,
  values: [
    { target: 'n1.batch_size', kind: 'plain', value: 2 },
    { target: 'n1.width', kind: 'plain', value: 64 },
  ],
  start: startComfyCounterpart,
  resultBytes: (index, { files: made }) => [...made.values()][index] ?? Buffer.alloc(0),
  lost: { answer: 'handle', request: 'absent' },
  fetches: 'names',
});
