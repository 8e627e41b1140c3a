import { share } from '@renderkit/server-kit/testing/share.ts';
import { startPlatform } from './platform.ts';

/** The whole product as it is by default but for the size of its pictures, one for all files of tests that share this process. Each makes accounts of its own. */
export const sharedPlatform = share(() => startPlatform({ smallPictures: true }));
