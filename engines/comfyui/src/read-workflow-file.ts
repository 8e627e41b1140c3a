import { type ByteReader, limitReading, TooMuchToRead } from './byte-reader.ts';
import { type EmbeddedTexts, type Keyword, maxTextBytes } from './embedded-texts.ts';
import { readAvifTexts, readJpegTexts, readWebpTexts } from './exif-texts.ts';
import { isArray, isObject, type Json, JsonError, type JsonObject, readJson } from './json.ts';
import { readMatroskaTexts } from './matroska-texts.ts';
import { readMp4Texts } from './mp4-texts.ts';
import { readPngTexts } from './png-texts.ts';
import { refuse } from './workflow-error.ts';

/** The workflow data of a file. At least one of the two fields is defined. */
export interface WorkflowFile {
  /** The graph that was run, in API format: node ids to nodes. */
  readonly prompt: JsonObject | undefined;
  /** The workflow as the editor saves it: nodes, links, titles, notes, the author's marks. */
  readonly workflow: JsonObject | undefined;
}

const maxReadBytes = 64 * 1024 * 1024;
const maxReads = 200_000;
/** Limit for JSON inside strings of JSON, which some programs write. */
const maxWrappings = 3;

/**
 * Reads the workflow from a file that is JSON in API or UI format, or a PNG, WebP, AVIF, JPEG, MP4, MOV or WebM that
 * contains one. The file is not trusted: at most 64 MiB are read, in a limited number of steps. An upload in the
 * console is limited by `studio/src/administration/receive-import.ts`.
 *
 * @throws WorkflowError with `not_a_workflow` or `no_workflow_in_file`
 */
export async function readWorkflowFile(reader: ByteReader): Promise<WorkflowFile> {
  const file = limitReading(reader, maxReadBytes, maxReads);
  try {
    const head = await file.read(0, 16);
    const format = formats.find(({ shape }) => shape.test(head.toString('latin1')));
    if (format !== undefined) return interpretTexts(await format.read(file), format.name);
    return await readJsonFile(file);
  } catch (error) {
    if (error instanceof JsonError || error instanceof TooMuchToRead)
      throw refuse('not_a_workflow', `This is not a ComfyUI workflow. ${error.message}`, { cause: error });
    throw error;
  }
}

interface Format {
  readonly name: string;
  /** Matches the first 16 bytes, one character for each byte. */
  readonly shape: RegExp;
  readonly read: (file: ByteReader) => Promise<EmbeddedTexts>;
}

const formats: readonly Format[] = [
  { name: 'PNG image', shape: /^\x89PNG\r\n/, read: readPngTexts },
  { name: 'JPEG image', shape: /^\xff\xd8\xff/, read: readJpegTexts },
  { name: 'WebP image', shape: /^RIFF[^]{4}WEBP/, read: readWebpTexts },
  { name: 'AVIF image', shape: /^[^]{4}ftyp(?:avi[fs]|mif1|msf1)/, read: readAvifTexts },
  { name: 'video', shape: /^[^]{4}(?:ftyp|moov|mdat|wide|free|skip)/, read: readMp4Texts },
  { name: 'video', shape: /^[^]E\xdf\xa3/, read: readMatroskaTexts },
];

async function readJsonFile(file: ByteReader): Promise<WorkflowFile> {
  if (file.sizeBytes > maxTextBytes) throw new JsonError('The file is too large to be one.');
  const text = (await file.read(0, file.sizeBytes)).toString('utf8');
  if (!/^\uFEFF?\s*[{"]/.test(text)) throw new JsonError('It is neither JSON nor an image or video.');
  const found = sortOut(unwrap(readJson(text)));
  if (found === undefined)
    throw refuse(
      'not_a_workflow',
      'This is not a ComfyUI workflow: it has neither nodes and links nor nodes with a class_type.',
    );
  return found;
}

function interpretTexts(texts: EmbeddedTexts, format: string): WorkflowFile {
  const errors: JsonError[] = [];
  const read = (keyword: Keyword): WorkflowFile | undefined => {
    const text = texts.get(keyword);
    try {
      return text === undefined ? undefined : sortOut(unwrap(readJson(text)));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  // The comment is read last, because it may as well be a person's sentence as JSON.
  const found: (WorkflowFile | undefined)[] = [read('prompt'), read('workflow')];
  const broken = errors[0];
  if (!found.some((one) => one !== undefined)) found.push(read('comment'));
  const prompt = found.find((one) => one?.prompt !== undefined)?.prompt;
  const workflow = found.find((one) => one?.workflow !== undefined)?.workflow;
  if (prompt !== undefined || workflow !== undefined) return { prompt, workflow };
  if (broken !== undefined)
    throw refuse('not_a_workflow', `The workflow in this ${format} is damaged. ${broken.message}`);
  throw refuse('no_workflow_in_file', `This ${format} carries no workflow. ${reasonFor(texts)}`);
}

function reasonFor(texts: EmbeddedTexts): string {
  return texts.has('parameters')
    ? 'It has the settings of another program (A1111 or Forge), which keeps no graph.'
    : 'Many sites remove it: take the file as ComfyUI saved it, or the workflow itself (File → Export).';
}

function unwrap(value: Json): Json {
  let unwrapped = value;
  for (let wrapping = 0; wrapping < maxWrappings && typeof unwrapped === 'string'; wrapping++)
    unwrapped = readJson(unwrapped);
  return unwrapped;
}

/** Tells the two formats apart. Also accepts the body of a `/prompt` request, and an object with both formats. */
function sortOut(value: Json): WorkflowFile | undefined {
  if (!isObject(value)) return undefined;
  if (isUiWorkflow(value)) return { prompt: undefined, workflow: value };
  if (isApiGraph(value)) return { prompt: value, workflow: undefined };
  const [prompt, output, workflow] = ['prompt', 'output', 'workflow'].map((key) => {
    const inner = unwrap(value.get(key) ?? null);
    return isObject(inner) ? inner : undefined;
  });
  const found = {
    prompt: [prompt, output].find((inner) => inner !== undefined && isApiGraph(inner)),
    workflow: [workflow, prompt].find((inner) => inner !== undefined && isUiWorkflow(inner)),
  };
  return found.prompt === undefined && found.workflow === undefined ? undefined : found;
}

function isUiWorkflow(value: JsonObject): boolean {
  return isArray(value.get('nodes')) && isArray(value.get('links'));
}

/** A single node with a class is enough. Other keys are dropped later, with a warning. */
function isApiGraph(value: JsonObject): boolean {
  return value.values().some((node) => isObject(node) && typeof node.get('class_type') === 'string');
}
