import { serveEngine } from '@renderkit/engine-kit/serve-engine.ts';
import { createProceduralEngine } from './engine.ts';

serveEngine(createProceduralEngine);
