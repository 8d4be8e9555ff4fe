import { createContext } from 'react';

/** Whether the page around has a `main` already; there is one of it. */
export const MainLandmarkContext = createContext(false);
