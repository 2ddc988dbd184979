export { streamState } from './stream-state';
export { switchStream } from './switch-stream';
