import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { referenceOf } from '../inputs.ts';
import { save } from 'renderkit/node';

export const frame = command({
  usage: 'VIDEO',
  about: 'Takes a picture out of a video; free.',
  options: {
    at: { form: 'SECONDS|last', about: 'which moment; the last when left out' },
    project: { form: 'ID', about: 'also keep it in this project' },
    output: { short: 'o', form: 'PATH', about: 'write it to a file' },
  },
  run: async (session, [source], values) => {
    if (source === undefined)
      throw new UsageError('Name the video.', '`renderkit assets list --type video` lists them.');
    const id = await referenceOf(session, source);
    if (typeof id !== 'string')
      throw new UsageError('A frame is taken of a video of the library: name its id.');
    const time = values.at === undefined || values.at === 'last' ? 'last' : Number(values.at);
    if (Number.isNaN(time)) throw new UsageError(`--at is a number of seconds or last, not ${values.at}.`);
    const made = await session.client.videos.createFrame(id, {
      time,
      ...(values.project !== undefined && { project_id: values.project }),
    });
    if (values.output !== undefined) await save(await session.client.fetchOutput(made), values.output);
    session.output.result(made, [made.url], () => [values.output ?? made.url]);
  },
});
