import { messageIn } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { EngineFailure, type EngineFailureOptions } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';

/** Maps the error text of a failed prediction to the blame. The text is from the model's author or from Replicate. */
const meanings: readonly (readonly [RegExp, EngineFailureOptions])[] = [
  [
    /nsfw|flagged as sensitive|content policy|safety (?:checker|filter|system)|\(E005\)/i,
    { blame: 'render', code: 'moderation_blocked' },
  ],
  [/out of memory/i, { blame: 'pair', code: 'out_of_memory' }],
  [
    /prediction interrupted|unexpected error handling prediction|\(code: PA\)|\(E(?!005)\d{3,4}\)/i,
    { blame: 'backend', code: 'render_failed' },
  ],
];

/** Returns why an ended prediction made nothing; `null` where it succeeded. */
export function failureOfPrediction(http: BackendHttp, prediction: JsonObject): EngineFailure | null {
  switch (prediction['status']) {
    case 'failed': {
      const said = messageIn(prediction['error']);
      const [, meaning] = meanings.find(([words]) => words.test(said)) ?? [];
      const message = http.quote(`A prediction of ${http.backend} failed: ${said}`);
      return new EngineFailure(message, meaning ?? { blame: 'render', code: 'render_failed' });
    }
    case 'canceled':
      return new EngineFailure(`A prediction was canceled at ${http.backend}.`, {
        blame: 'backend',
        code: 'render_failed',
      });
    case 'aborted':
      return new EngineFailure(`A prediction was not begun in time at ${http.backend}.`, {
        blame: 'backend',
        code: 'render_timeout',
      });
    default:
      return null;
  }
}
