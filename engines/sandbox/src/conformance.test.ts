import { testConformance } from '@renderkit/engine-kit/conformance.ts';
import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { createSandboxEngine } from './engine.ts';

// The other two do not do as they are asked; that is what they are for.
testConformance({ engine: createSandboxEngine(createProceduralEngine()), models: ['sandbox-slow'] });
