import { Type, type Static } from 'typebox';
import { closed, id, nullable, shortText, time } from '../schemas/schema-builders.ts';

export const AdministrationAuditQuery = closed({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_001 })),
  /** Default 20. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  /** Such as `backend:gpu1`, `model:sdxl` or `plans`. */
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
});

/** One change of models, plans, styles or backends. It is written in the transaction of the change. */
export const AdministrationAct = Type.Object({
  id,
  at: time,
  /** Who acted: the command line, a file at a start, the product itself, or an administrator. */
  actor: Type.Union([
    Type.Object({ kind: Type.Literal('operator') }),
    Type.Object({ kind: Type.Literal('file') }),
    Type.Object({ kind: Type.Literal('product') }),
    /** `email` is the current address; `null` when the account no longer exists. */
    Type.Object({ kind: Type.Literal('administrator'), account: id, email: nullable(shortText) }),
  ]),
  /** Such as `model.published`. */
  action: shortText,
  subject: shortText,
  /** The values before and after the change; `null` when there was none. Never contain a secret. */
  before: Type.Unknown(),
  after: Type.Unknown(),
});
export type AdministrationAct = Static<typeof AdministrationAct>;

/** Newest first. */
export const AdministrationAuditAnswer = Type.Object({
  acts: Type.Array(AdministrationAct, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
