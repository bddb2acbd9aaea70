import { AppError } from '../../app-error.ts';

/** nodemailer is an optional peer: it is loaded when it is needed. */
export async function loadNodemailer(): Promise<typeof import('nodemailer')> {
  try {
    return await import('nodemailer');
  } catch (cause) {
    throw new AppError('nodemailer is not installed: run `npm install nodemailer`.', {
      code: 'INVALID_ARGUMENT',
      cause,
    });
  }
}
