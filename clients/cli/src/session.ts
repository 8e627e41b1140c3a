import Renderkit from 'renderkit';
import type { GlobalValues } from './options.ts';
import { chooseConnection, type Environment } from './config.ts';
import { Output } from './output.ts';
import { version } from './version.ts';

/** The context of a command: the client, created on first use, and the output. */
export class Session {
  readonly environment: Environment;
  readonly values: GlobalValues;
  readonly output: Output;
  #client: Renderkit | undefined;

  constructor(environment: Environment, values: GlobalValues) {
    this.environment = environment;
    this.values = values;
    this.output = new Output(environment, values);
  }

  /** @throws CliError when no key is known */
  get client(): Renderkit {
    const connection = () => chooseConnection(this.environment, this.values);
    this.#client ??= this.clientOf(connection());
    return this.#client;
  }

  clientOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Renderkit {
    const { verbose } = this.values;
    return new Renderkit({
      baseUrl,
      apiKey,
      appInfo: { name: 'renderkit-cli', version },
      ...(verbose === true && {
        onResponse: ({ status, headers }, { method, url, attempt }) =>
          this.output.note(
            `${method} ${url} ${status} ${headers.get('x-request-id') ?? ''}${attempt > 0 ? ` try ${attempt + 1}` : ''}`,
          ),
      }),
    });
  }
}
