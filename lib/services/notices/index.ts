export { addSubscriber } from './add';
export { changeSubscriber } from './change';
export { endSubscriber } from './end';
export { resendNotice } from './resend';
export { testSubscriber } from './test-subscriber';
export { writeNotice } from './write';
