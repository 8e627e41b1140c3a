import { Type, type Static } from 'typebox';
import { scopes } from '../../v1/scopes.ts';
import { listOf } from '../../v1/schemas/list.ts';
import { closed, nullable, oneOf, timestamp } from '../../v1/schemas/schema-builders.ts';
import { idParams } from './ids.ts';

export const Session = closed(
  {
    id: Type.String({ description: 'Starts with `ses_`. Not what the cookie holds.' }),
    object: Type.Literal('session'),
    created_at: timestamp('When the person signed in.'),
    last_seen_at: timestamp('When it was last used, exact to a minute.'),
    expires_at: timestamp('When it ends by itself.'),
    user_agent: nullable(Type.String(), { description: 'What the browser said it was.' }),
    address: nullable(Type.String(), { description: 'Where it signed in from.' }),
    current: Type.Boolean({ description: 'True for the session that asks.' }),
  },
  { title: 'Session', description: 'One signed-in browser.' },
);
export type Session = Static<typeof Session>;

export const SessionList = listOf('SessionList', Session);
export const SessionParams = idParams('the session');

export const EndedSession = closed({
  id: Type.String(),
  object: Type.Literal('session'),
  ended: Type.Literal(true),
});

/** The signed-in person, and the addresses that pages need. */
export const SignedIn = closed(
  {
    object: Type.Literal('signed_in'),
    session: Session,
    account: closed({
      id: Type.String({ description: "The service's own id of the account." }),
      email: nullable(Type.String()),
    }),
    base_url: Type.String({ description: 'How clients reach the API.' }),
    docs_url: Type.String({ description: 'Where the documents are.' }),
    studio_url: Type.String({ description: 'How browsers reach the studio.' }),
    scopes: Type.Array(oneOf(scopes), { description: 'Every scope that a key can have.' }),
  },
  { title: 'SignedIn', description: 'The person behind the session.' },
);
export type SignedIn = Static<typeof SignedIn>;

export const SignedOut = closed({
  object: Type.Literal('signed_out'),
  studio_sign_out_url: nullable(Type.String(), {
    description: 'Where the browser may go to leave the studio too; null while the studio cannot be asked.',
  }),
});
export type SignedOut = Static<typeof SignedOut>;
