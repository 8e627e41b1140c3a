import { testConformance } from '@renderkit/engine-kit/engine-conformance.ts';
import { createProceduralEngine } from './engine.ts';

const engine = createProceduralEngine();
testConformance({ engine, models: engine.models });
