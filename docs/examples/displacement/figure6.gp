# SPDX-License-Identifier: GPL-3.0-or-later
# Figure 6: mean and standard deviation by the number of operations. gnuplot -e "data='table4.dat'"
set terminal svg size 860,360 dynamic enhanced background "#ffffff" font "sans-serif,11"
set multiplot layout 1,2
set xlabel "L_{PUT}"
set key off
set grid
set logscale x
set xrange [100:30000]
set title "mean of {/Symbol t}_{PUT}, with its 95 % interval"
set ylabel "us"
set yrange [0:*]
plot data using 1:3:($6 == $6 ? $6 : 0) with yerrorbars pt 7 ps 0.6 lc rgb "#3060a0"
set title "standard deviation"
set ylabel "% of the mean"
plot data using 1:5 with linespoints pt 7 ps 0.6 lc rgb "#3060a0"
unset multiplot
