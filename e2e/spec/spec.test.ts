import { after } from 'node:test';
import { closeSharedWorld } from './world.ts';
import './authentication.cases.ts';
import './resources.cases.ts';
import './bodies.cases.ts';
import './images.cases.ts';
import './edits.cases.ts';
import './videos.cases.ts';
import './library.cases.ts';
import './reads.cases.ts';
import './states.cases.ts';
import './repeat.cases.ts';
import './idempotency.cases.ts';
import './limits.cases.ts';
import './versioning.cases.ts';

// Tests the specification, section by section, on one platform. Sections that need their own platform are in separate
// test files here. `npm test -- e2e/spec/spec.test.ts --name '§4'` runs a part.
after(closeSharedWorld);
