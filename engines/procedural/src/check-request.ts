import { EngineError, type EngineRequest, type Size } from '@renderkit/engine-kit/engine.ts';
import { isProceduralModel, type ProceduralModel } from './models.ts';

/** Pixels per side. `contract/studio/validate.ts` checks the requests of users before, against the model. */
export const SIDES = { min: 64, max: 4096 };
const MAX_OUTPUTS = 16;

/** Returns the model. @throws EngineError `unknown_model`, `invalid_request` */
export function checkRequest({ engineModel, outputs }: EngineRequest): ProceduralModel {
  if (!isProceduralModel(engineModel)) {
    throw new EngineError('unknown_model', `The procedural engine has no model "${engineModel}".`);
  }
  if (!Number.isInteger(outputs) || outputs < 1 || outputs > MAX_OUTPUTS) {
    throw new EngineError('invalid_request', `Outputs must be 1 to ${MAX_OUTPUTS}; asked ${outputs}.`);
  }
  return engineModel;
}

/** @throws EngineError `invalid_request` */
export function checkSide({ width, height }: Size): void {
  const fits = (side: number) => Number.isInteger(side) && side >= SIDES.min && side <= SIDES.max;
  if (!fits(width) || !fits(height)) {
    throw new EngineError(
      'invalid_request',
      `Sides must be whole pixels, ${SIDES.min} to ${SIDES.max}; asked ${width}×${height}.`,
    );
  }
}
