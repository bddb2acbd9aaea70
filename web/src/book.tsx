/** The booking page: what customers see. */
import './look/tokens.css';
import './look/app.css';
import './look/book.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/api-problem.ts';
import { BookApp } from './book/book-app.tsx';
import { startBookWords } from './book/words/start-book-words.ts';
import { addIcons } from './parts/add-icons.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one; only what may pass is asked again.
      retry: (failures, error) => failures < 3 && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});

addIcons();
await startBookWords();
const place = document.getElementById('root');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <BookApp />
      </QueryClientProvider>
    </StrictMode>,
  );
}
