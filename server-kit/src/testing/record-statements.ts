import pg from 'pg';

export type RecordedStatements = Disposable & {
  /** What was sent since the last call: the name of each statement, of one without a name its text. */
  take: () => string[];
};

/** Records what this process sends to a database, on connections old and new, until it is disposed. */
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
