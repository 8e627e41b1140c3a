import { Type, type Static } from 'typebox';
import { closed, id, nullable, shortText, time } from '../schemas/schema-builders.ts';

export const AdministrationAuditQuery = closed({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_001 })),
  /** 20 where it is left out. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  /** `backend:gpu1`, `model:sdxl`, `plans`. */
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
});

/** One act on models, plans, styles or backends, written in its transaction. */
export const AdministrationAct = Type.Object({
  id,
  at: time,
  /** The command line, a file at a start, the product itself, or an administrator. */
  actor: Type.Union([
    Type.Object({ kind: Type.Literal('operator') }),
    Type.Object({ kind: Type.Literal('file') }),
    Type.Object({ kind: Type.Literal('product') }),
    /** The address is that of now; null where the account is gone. */
    Type.Object({ kind: Type.Literal('administrator'), account: id, email: nullable(shortText) }),
  ]),
  /** `model.published`. */
  action: shortText,
  subject: shortText,
  /** What was so before, and after; null where there was nothing. Never a secret. */
  before: Type.Unknown(),
  after: Type.Unknown(),
});
export type AdministrationAct = Static<typeof AdministrationAct>;

/** Newest first. */
export const AdministrationAuditAnswer = Type.Object({
  acts: Type.Array(AdministrationAct, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
