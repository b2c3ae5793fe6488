# SPDX-License-Identifier: GPL-3.0-or-later
# Figure 2: displacement against getrusage on plain computation. gnuplot -e "data='table1.dat'"
set terminal svg size 560,360 dynamic enhanced background "#ffffff" font "sans-serif,11"
set xlabel "CPU time of an operation by getrusage (us)"
set ylabel "difference of displacement (%)"
set key off
set grid
set xzeroaxis lt 1 lc rgb "#888888"
set xrange [0:*]
plot data using 2:6:(100*($4/$2-1)):(100*($5/$2-1)) with yerrorbars pt 7 ps 0.6 lc rgb "#3060a0"
