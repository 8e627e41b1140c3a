import pg from 'pg';

export type RecordedStatements = Disposable & {
  /** Returns the statements since the last call: the name of each, or the text of a statement without a name. */
  take: () => string[];
};

/** Records the statements that this process sends to a database, on old and new connections, until disposed. */
export function recordStatements(databaseUrl: string): RecordedStatements {
  const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  let sent: string[] = [];
  prototype.query = function (this: { database?: string }, ...given) {
    const [statement] = given as [string | { name?: string; text: string }];
    if (this.database === database)
      sent.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text));
    return query.apply(this, given);
  };
  return {
    take: () => {
      const taken = sent;
      sent = [];
      return taken;
    },
    [Symbol.dispose]: () => {
      prototype.query = query;
    },
  };
}
