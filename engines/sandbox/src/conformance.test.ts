import { testConformance } from '@renderkit/engine-kit/engine-conformance.ts';
import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { createSandboxEngine } from './engine.ts';

// The other two models fail on purpose.
testConformance({ engine: createSandboxEngine(createProceduralEngine()), models: ['sandbox-slow'] });
