# SPDX-License-Identifier: MIT
"""ghc.py - the compiler of Haskell, and a program of it: code whose stacks are on a heap, with threads of its own."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
{-# LANGUAGE ForeignFunctionInterface, ScopedTypeVariables #-}
module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import Foreign
import Foreign.C.Types
import System.Exit
import System.IO
import System.Process
import System.Timeout

foreign import ccall "stdlib.h qsort" c_qsort :: Ptr CInt -> CSize -> CSize -> FunPtr Compare -> IO ()
foreign import ccall "wrapper" mkCompare :: Compare -> IO (FunPtr Compare)
type Compare = Ptr CInt -> Ptr CInt -> IO CInt

sorted :: [CInt] -> IO [CInt]
sorted values = withArrayLen values $ \n p -> do
  f <- mkCompare $ \a b -> do { x <- peek a; y <- peek b; return (if x < y then -1 else if x > y then 1 else 0) }
  c_qsort p (fromIntegral n) 4 f
  freeHaskellFunPtr f
  peekArray n p

sieve :: Int -> Int
sieve n = Map.size (foldl strike (Map.fromList [(i, ()) | i <- [2 .. n]]) (takeWhile (\i -> i * i <= n) [2 ..]))
  where strike m i = if Map.member i m then foldl (flip Map.delete) m [i * i, i * i + i .. n] else m

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  done <- newEmptyMVar
  count <- newIORef (0 :: Int)
  forM_ [1 .. 8 :: Int] $ \k -> forkIO $ do
    forM_ [1 .. 2000 :: Int] $ \i -> atomicModifyIORef' count (\c -> (c + i * k, ())) >> when (i `mod` 50 == 0) yield
    putMVar done ()
  replicateM_ 8 (takeMVar done)
  readIORef count >>= print
  finished <- newEmptyMVar
  _ <- forkOS (putMVar finished (sieve 30000))
  takeMVar finished >>= print
  values <- sorted [fromIntegral ((i * 7919) `mod` 20011 :: Int) | i <- [1 .. 20000]]
  print (sum (zipWith (*) (cycle [1, -1]) values))
  caught <- try (evaluate (1 `div` (0 :: Int)))
  print (either (\(e :: ArithException) -> show e) show caught)
  print (foldr (+) 0 [1 .. 1000000 :: Integer])
  late <- timeout 50000 (threadDelay 60000000)
  print late
  spun <- timeout 100000 (forM_ [1 :: Int ..] $ \i -> when (i `mod` 1000 == 0) yield)
  print (fmap (const ()) spun)
  out <- readProcess "tr" ["a-z", "A-Z"] "child"
  putStrLn out
  code <- system "exit 4"
  print code
  stuck <- newEmptyMVar :: IO (MVar ())
  blocked <- try (takeMVar stuck)
  print (either (\(e :: BlockedIndefinitelyOnMVar) -> show e) show blocked)
  exitWith (ExitFailure 3)
"""


class Ghc(Program):
    name = "ghc"
    what = "ghc -O of a program of 60 lines, threaded, linked by gcc"
    packages = ("ghc", "libghc-process-dev")
    version_command = ("ghc", "--version")
    objects = ("ghc",)
    libraries = ("libc.so",)
    ignored_files = ("work",)  # linked files have a name of chance

    def prepare(self, given):
        write(os.path.join(given, "Main.hs"), SOURCE)

    def environment(self):
        return {"HOME": "/nonexistent"}

    def command(self, given):
        return ["ghc", "-v0", "-O", "-threaded", "-rtsopts", "-outputdir", ".", "-o", "work", os.path.join(given, "Main.hs")]


class Haskell(Program):
    name = "haskell"
    what = "that program: 8 threads on 2 cores, callbacks from C, exceptions, timeouts, deep recursion, children"
    packages = Ghc.packages
    version_command = Ghc.version_command
    objects = ("work",)
    libraries = ("libc.so",)

    def prepare(self, given):
        write(os.path.join(given, "Main.hs"), SOURCE)
        subprocess.run(["ghc", "-v0", "-O", "-threaded", "-rtsopts", "-outputdir", given, "-o", os.path.join(given, "work"),
                        os.path.join(given, "Main.hs")], check=True)

    def command(self, given):
        return [os.path.join(given, "work"), "+RTS", "-N2", "-RTS"]
