"""Adds up the ranks by MPI."""
from mpi4py import MPI

from said import say

world = MPI.COMM_WORLD
say(world.Get_rank(), world.Get_size(), world.allreduce(world.Get_rank() + 1))
