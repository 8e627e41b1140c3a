import { share } from '@renderkit/server-kit/testing/share.ts';
import { startPlatform } from './platform.ts';

/**
 * The whole product with its defaults, except for smaller pictures. All test files of this process share it, and each
 * creates its own accounts.
 */
export const sharedPlatform = share(() => startPlatform({ smallPictures: true }));
